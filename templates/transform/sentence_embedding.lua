-- Makes one vector of a text. This is pooling, so leave `pooling` out of the config.
--
-- Postprocess is called once for each text. `hidden` has the shape [1, tokens, width]: a vector for each token, also for the special
-- ones such as [CLS]. `mask` has the shape [1, tokens]: 1 for the tokens that count, 0 for those of a prompt that does not.
-- A model that returns no vectors of tokens, but of the text, gives [1, width] and no mask.
-- Return a tensor of shape [1, any width]. `dimensions` and `normalize` of the config come after it.

---@param hidden Tensor
---@param mask? Tensor
---@return Tensor
function Postprocess(hidden, mask)
  local pooled = hidden
  if mask then
    pooled = hidden:mean_pool(mask)
  end

  -- Axes count from 1, so 2 are the numbers of the vector. Vectors of length 1 are compared by their dot product.
  return pooled:lp_normalize(2, 2)

  -- The first token instead of the mean, for models that were trained for it:
  -- return hidden:truncate_axis(2, 1):squeeze(2):lp_normalize(2, 2)
end

-- Try it:  encoderfile transform test -f encoderfile.yml "some text"
-- What tensors can do, limits and more examples: docs/transforms.md
