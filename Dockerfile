# Patchloom in a container that needs no network: the command line, or with `--target server` the server.
#
#   docker build -t patchloom .
#   docker run --rm --user "$(id -u)" -v "$PWD:/work" patchloom synth --profile faces
#
#   docker build -t patchloom-server --target server .
#   docker run --rm -p 8000:8000 -v "$PWD:/packs:ro" patchloom-server /packs/digits.loom

# By digest: `docker buildx imagetools inspect denoland/deno:debian-2.9.6` prints that of another version.
FROM denoland/deno:debian-2.9.6@sha256:2014dc167ece617ef7e7ba40631ac2234c59e75ce693e7cc2dc2602b3c87859d AS build
WORKDIR /source
COPY . .
# The files of the npm package `patchloom` are those that commands need; then the npm packages that they import.
RUN deno task build:command && mv out/command /app && rm /app/run.json
WORKDIR /app
ENV DENO_NO_PACKAGE_JSON=1
RUN DENO_DIR=/deno-cache deno install --entrypoint hosts/deno/main.ts hosts/deno/*/*.ts hosts/deno/*/*/*.ts
# The packages of the queue and of object stores (`synth --engine`, `worker`), with their own lock file. With `--user` nobody may write to /deno-dir.
RUN DENO_DIR=/deno-cache deno cache --no-config --frozen --lock=hosts/deno/queue/engine.lock \
  npm:aws4fetch@1.0.20 npm:bullmq@6.7.0 npm:ioredis@5.11.1 npm:msgpackr-extract@3.0.4 npm:pg@8.23.1

FROM denoland/deno:debian-2.9.6@sha256:2014dc167ece617ef7e7ba40631ac2234c59e75ce693e7cc2dc2602b3c87859d AS app
COPY --from=build /app /app
COPY --from=build --chown=deno:deno /deno-cache /deno-dir
# Where commands read and write: `-v "$PWD:/work"`.
RUN install -d -m 777 /work /cache
ENV XDG_CACHE_HOME=/cache
WORKDIR /work
USER deno

FROM app AS server
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s \
  CMD ["deno", "eval", "Deno.exit((await fetch(`http://127.0.0.1:${Deno.env.get('PORT') || 8000}/health`)).ok ? 0 : 1)"]
ENTRYPOINT ["/tini", "--", "deno", "run", "--no-prompt", "--cached-only", "--allow-read", "--allow-net=0.0.0.0", "--allow-env=PORT", "--config", "/app/deno.json", "/app/hosts/deno/main.ts", "serve", "--host", "0.0.0.0"]
CMD ["/packs/digits.loom"]

FROM app AS command
ENTRYPOINT ["/tini", "--", "deno", "run", "--quiet", "--allow-all", "/app/hosts/node/patchloom.js"]
CMD ["--help"]
