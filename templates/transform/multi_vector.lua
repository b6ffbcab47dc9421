-- Transforms the token vectors of a query or a document before they are returned or compared.
--
-- Postprocess is called once for each text. `hidden` has the shape [1, tokens, width]: one vector per token, including
-- special tokens, the marker and the tokens that fill a query. Return a tensor of shape [1, tokens, any width];
-- the width must be the same for all texts.

---@param hidden Tensor
---@return Tensor
function Postprocess(hidden)
  -- Axes count from 1, so axis 3 contains the dimensions of a vector. Normalized vectors can be compared by their dot product.
  return hidden:lp_normalize(2, 3)

  -- Shorter vectors, for models trained for it (Matryoshka):
  -- return hidden:truncate_axis(3, 128):lp_normalize(2, 3)
end

-- Test it:  encoderfile transform test -f encoderfile.yml "some text"
-- Tensor operations, limits and more examples: docs/transforms.md
