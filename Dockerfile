# One image with everything: the executable, the web app and the project folder.

FROM node:22-bookworm-slim AS web
WORKDIR /source
COPY package.json package-lock.json ./
COPY web/package.json web/
COPY e2e/package.json e2e/
RUN npm ci --workspace web
COPY web web
RUN npm run build --workspace web

FROM rust:1.95-bookworm AS build
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --profile dist --locked --package stack --bin wildfire \
  && cp target/dist/wildfire /wildfire

FROM debian:bookworm-slim
# By these a mail server is trusted, and a database that speaks TLS.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /wildfire /opt/wildfire/wildfire
# The executable looks for the web app beside itself.
COPY --from=web /source/web/dist /opt/wildfire/web
COPY supabase /opt/wildfire/project/supabase
# Commands that are run beside the server find its data folder where a project has it.
RUN groupadd --gid 10001 wildfire \
  && useradd --uid 10001 --gid 10001 --home-dir /data --shell /usr/sbin/nologin wildfire \
  && install --directory --owner=wildfire --group=wildfire --mode=0700 /data \
  && ln --symbolic /data /opt/wildfire/project/.wildfire \
  && ln --symbolic /opt/wildfire/wildfire /usr/local/bin/wildfire
# A number, by which a cluster can tell that this is not root.
USER 10001:10001
WORKDIR /opt/wildfire/project
VOLUME /data
EXPOSE 8080
ENV WILDFIRE_HOST=0.0.0.0
# The shell speaks HTTP itself, so the image needs no client for it, and starts no process that the
# server would have to reap.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 CMD ["/bin/bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3 && read -r line <&3 && [[ $line == *' 200 '* ]]"]
ENTRYPOINT ["wildfire"]
CMD ["start", "--data-dir", "/data"]
