-- Pools the token vectors of a text into one vector. It replaces `pooling`, so omit that from the config.
--
-- Postprocess is called once for each text. `hidden` has the shape [1, tokens, width]: one vector per token, including
-- special tokens such as [CLS]. `mask` has the shape [1, tokens]: 1 for tokens to include, 0 for tokens of an excluded prompt.
-- If the model returns a vector per text instead, `hidden` has the shape [1, width] and there is no mask.
-- Return a tensor of shape [1, any width]. `dimensions` and `normalize` of the config are applied afterwards.

---@param hidden Tensor
---@param mask? Tensor
---@return Tensor
function Postprocess(hidden, mask)
  local pooled = hidden
  if mask then
    pooled = hidden:mean_pool(mask)
  end

  -- Axes count from 1, so axis 2 contains the dimensions of the vector. Normalized vectors can be compared by their dot product.
  return pooled:lp_normalize(2, 2)

  -- The first token instead of the mean, for models trained for it:
  -- return hidden:truncate_axis(2, 1):squeeze(2):lp_normalize(2, 2)
end

-- Test it:  encoderfile transform test -f encoderfile.yml "some text"
-- Tensor operations, limits and more examples: docs/transforms.md
