# A model executable. Put sentiment.encoder next to this file, or set ENCODER, and run:
#   docker build -f encoder.Dockerfile --target slim -t sentiment .
#   docker run --read-only --cap-drop ALL --security-opt no-new-privileges -p 8080:8080 -e ENCODERFILE_API_KEY sentiment
# --target distroless is smaller and has no shell, so it has no HEALTHCHECK. The executable must be for the platform of the image.
FROM debian:bookworm-slim AS slim
ARG ENCODER=sentiment.encoder
COPY --chmod=0755 ${ENCODER} /usr/local/bin/encoder
# Unpacks the native libraries into the image, so a container needs no writable folder and starts without this step.
ENV ENCODERFILE_CACHE_DIR=/opt/encoderfile
RUN ["/usr/local/bin/encoder", "infer", "unpack the libraries"]
RUN chmod -R a+rX /opt/encoderfile
LABEL org.opencontainers.image.title="encoder" \
      org.opencontainers.image.description="A model executable built with encoderfile"
EXPOSE 8080 50051
USER 65532:65532
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${ENCODERFILE_HTTP_PORT:-8080} && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["/usr/local/bin/encoder"]
CMD ["serve"]

FROM gcr.io/distroless/cc-debian12:nonroot AS distroless
COPY --from=slim /usr/local/bin/encoder /usr/local/bin/encoder
COPY --from=slim /opt/encoderfile /opt/encoderfile
ENV ENCODERFILE_CACHE_DIR=/opt/encoderfile
LABEL org.opencontainers.image.title="encoder" \
      org.opencontainers.image.description="A model executable built with encoderfile"
EXPOSE 8080 50051
USER 65532:65532
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/encoder"]
CMD ["serve"]
