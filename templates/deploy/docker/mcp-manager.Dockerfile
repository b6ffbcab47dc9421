# mcp-manager. Put the executable next to this file (`encoderfile target build manager -o mcp-manager`), or set PROGRAM, and run:
#   docker build -f mcp-manager.Dockerfile --target slim -t mcp-manager .
#   docker run --rm -v manager-data:/data mcp-manager keys create --name admin --admin
#   docker run --read-only --cap-drop ALL --security-opt no-new-privileges -p 8090:8090 -v manager-data:/data \
#     -v ./mcpd.toml:/etc/mcp-manager/mcpd.toml:ro mcp-manager
# Both targets contain no Node, uv or docker, so they run remote servers (`url`) and executables that you add. For `npx::` servers,
# build with --build-arg BASE=node:22-bookworm-slim. --target distroless has no shell, so it has no HEALTHCHECK.
ARG BASE=debian:bookworm-slim
FROM ${BASE} AS slim
ARG PROGRAM=mcp-manager
COPY --chmod=0755 ${PROGRAM} /usr/local/bin/mcp-manager
# A new volume at /data gets the owner of this folder. It has the API keys, and the caches of npx and uvx.
RUN install -d -o 65532 -g 65532 -m 0700 /data
ENV MCP_MANAGER_HOST=0.0.0.0 \
    MCP_MANAGER_CONFIG=/etc/mcp-manager/mcpd.toml \
    MCP_MANAGER_RUNTIME_FILE=/data/secrets.toml \
    MCP_MANAGER_KEYS_FILE=/data/keys.jsonl \
    HOME=/data \
    MALLOC_ARENA_MAX=1 \
    MALLOC_TRIM_THRESHOLD_=65536 \
    MALLOC_MMAP_THRESHOLD_=65536
LABEL org.opencontainers.image.title="mcp-manager" \
      org.opencontainers.image.description="Runs MCP servers behind one HTTP API and one MCP endpoint"
VOLUME ["/data"]
EXPOSE 8090
USER 65532:65532
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${MCP_MANAGER_PORT:-8090} && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["/usr/local/bin/mcp-manager"]
CMD ["daemon"]

FROM gcr.io/distroless/cc-debian12:nonroot AS distroless
COPY --from=slim /usr/local/bin/mcp-manager /usr/local/bin/mcp-manager
COPY --from=slim --chown=65532:65532 /data /data
ENV MCP_MANAGER_HOST=0.0.0.0 \
    MCP_MANAGER_CONFIG=/etc/mcp-manager/mcpd.toml \
    MCP_MANAGER_RUNTIME_FILE=/data/secrets.toml \
    MCP_MANAGER_KEYS_FILE=/data/keys.jsonl \
    HOME=/data \
    MALLOC_ARENA_MAX=1 \
    MALLOC_TRIM_THRESHOLD_=65536 \
    MALLOC_MMAP_THRESHOLD_=65536
LABEL org.opencontainers.image.title="mcp-manager" \
      org.opencontainers.image.description="Runs MCP servers behind one HTTP API and one MCP endpoint"
VOLUME ["/data"]
EXPOSE 8090
USER 65532:65532
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/mcp-manager"]
CMD ["daemon"]
