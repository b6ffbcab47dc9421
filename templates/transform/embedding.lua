-- Transforms the token vectors of a text before they are returned.
--
-- Postprocess is called once for each text. `hidden` has the shape [1, tokens, width]: one vector per token, including
-- special tokens such as [CLS]. Return a tensor of shape [1, tokens, any width].

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
