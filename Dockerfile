# syntax=docker/dockerfile:1
# One image with everything: the executable, the web app and the project folder.

FROM node:20-bookworm-slim AS web
WORKDIR /source
COPY package.json package-lock.json ./
COPY web/package.json web/
COPY e2e/package.json e2e/
RUN npm ci --workspace web
COPY web web
RUN npm run build --workspace web

FROM rust:1.95-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends cmake \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --release --locked --package stack --bin wildfire \
  && cp target/release/wildfire /wildfire

FROM debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin wildfire \
  && install --directory --owner=wildfire --group=wildfire --mode=0700 /data
COPY --from=build /wildfire /opt/wildfire/wildfire
# The executable looks for the web app beside itself.
COPY --from=web /source/web/dist /opt/wildfire/web
COPY supabase /opt/wildfire/project/supabase
RUN ln -s /opt/wildfire/wildfire /usr/local/bin/wildfire
USER wildfire
WORKDIR /opt/wildfire/project
VOLUME /data
EXPOSE 8080
ENV WILDFIRE_HOST=0.0.0.0
# The shell speaks HTTP itself, so the image needs no client for it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 CMD ["/bin/bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["wildfire"]
CMD ["start", "--workdir", "/opt/wildfire/project", "--data-dir", "/data"]
