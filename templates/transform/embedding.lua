-- Changes the vectors of a text's tokens before callers get them.
--
-- Postprocess is called once for each text. `hidden` has the shape [1, tokens, width]: a vector for each token, also for the special
-- ones such as [CLS]. Return a tensor of shape [1, tokens, any width].

---@param hidden Tensor
---@return Tensor
function Postprocess(hidden)
  -- Axes count from 1, so 3 are the numbers of a vector. Vectors of length 1 are compared by their dot product.
  return hidden:lp_normalize(2, 3)

  -- Shorter vectors, for models that were trained for it (Matryoshka):
  -- return hidden:truncate_axis(3, 128):lp_normalize(2, 3)
end

-- Try it:  encoderfile transform test -f encoderfile.yml "some text"
-- What tensors can do, limits and more examples: docs/transforms.md
