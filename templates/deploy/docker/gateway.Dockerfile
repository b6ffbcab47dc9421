# The gateway. Put the executable next to this file (`encoderfile target build gateway -o gateway`), or set PROGRAM, and run:
#   docker build -f gateway.Dockerfile --target slim -t gateway .
#   docker run --read-only --cap-drop ALL --security-opt no-new-privileges -p 8000:8000 -v gateway-data:/data -e GATEWAY_MASTER_KEY gateway
# --target distroless is smaller and has no shell, so it has no HEALTHCHECK. The executable must be for the platform of the image.
FROM debian:bookworm-slim AS slim
ARG PROGRAM=gateway
COPY --chmod=0755 ${PROGRAM} /usr/local/bin/gateway
# A new volume at /data gets the owner of this folder. With PostgreSQL, no volume is needed.
RUN install -d -o 65532 -g 65532 -m 0700 /data
ENV GATEWAY_HOST=0.0.0.0 GATEWAY_DATA_DIR=/data
LABEL org.opencontainers.image.title="gateway" \
      org.opencontainers.image.description="LLM gateway with API keys, users, budgets and usage tracking"
VOLUME ["/data"]
EXPOSE 8000
USER 65532:65532
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${GATEWAY_PORT:-8000} && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["/usr/local/bin/gateway"]
CMD ["serve"]

FROM gcr.io/distroless/cc-debian12:nonroot AS distroless
COPY --from=slim /usr/local/bin/gateway /usr/local/bin/gateway
COPY --from=slim --chown=65532:65532 /data /data
ENV GATEWAY_HOST=0.0.0.0 GATEWAY_DATA_DIR=/data
LABEL org.opencontainers.image.title="gateway" \
      org.opencontainers.image.description="LLM gateway with API keys, users, budgets and usage tracking"
VOLUME ["/data"]
EXPOSE 8000
USER 65532:65532
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/gateway"]
CMD ["serve"]
