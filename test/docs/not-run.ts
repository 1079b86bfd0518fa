/**
 * The documented commands that no test runs, with the reason. Each text is that of a page, word for word: a changed
 * command fails the test until it is named here again. `command-tables.test.ts` checks what can be checked without
 * running them.
 */
export const notRun: readonly { why: string; commands: readonly string[] }[] = [
  {
    why: 'it installs the packages of the checkout that runs the tests, and then runs the tests',
    commands: [
      'npm ci',
      'npm test',
      'npm ci && npm test',
      'npx vitest run test/demo',
      'npx vitest run test/accounts/accounts.test.ts',
      "npx vitest run test/accounts/accounts.test.ts -t 'deleted'",
      'npx vitest run test/console',
    ],
  },
  {
    why: 'it builds the console, as npm ci does, whose files other tests read meanwhile',
    commands: ['npm run console'],
  },
  {
    why: 'it serves the pages to a developer until it is interrupted',
    commands: ['npx vite src/console/web'],
  },
  {
    why: 'it checks the code and not the gateway, and .ci/run runs it',
    commands: ['npm run lint', 'npm run types'],
  },
  {
    why: 'it takes minutes or hours of all cores',
    commands: [
      'npm run bench -- deliver',
      'npm run bench -- deliver --scenarios burst,rates --api-delivers true,false --event-workflows always,on_retry',
      'npm run bench -- deliver --filled 2000000',
      'npm run bench -- deliver --scenarios slow',
      'npm run bench -- pairs --with ../before --pairs 5 --scenarios burst,rates',
      'npm run bench -- pairs --with . --traces --scenarios burst',
      'npm run bench -- lasting --seconds 600 --rate 500 --failing 0.02 --event-workflows on_retry',
      'DELIVERY_SCHEDULE=1s,5s,10s,30s,1m,2m,5m,10m,20m npm run bench -- lasting --seconds 120 --rate 100 --failing 0.1',
      'npm run bench -- queue --events 2000000',
      'npm run bench -- conditions',
      'npm run faults',
      'npm run faults -- --seed 7 --faults kill-worker,cut-postgres',
      'npm run faults -- --seeds 50',
      'npm run faults -- --seconds 20 --rate 4',
      'npm run mutants -- --out before.json',
      'npm run mutants -- --only 3,17',
      'npm run mutants -- --out after.json --compare before.json',
      'npm run soak',
      'npm run soak -- --minutes 12 --rate 4',
      'npm run cluster',
      'npm run cluster -- --up',
      'npm run cluster -- --up --apis 1 --workers 4',
      'npm run cluster -- --only kill',
      'npm run cluster -- --only e2e --tests test/e2e/delivery.test.ts',
      'npm run cluster -- --only faults --seeds 1,2,3',
      'npm run cluster -- --only bench --scenarios burst,rates --events 20000',
      'npm run cluster -- --only bench --nginx /usr/sbin/nginx --pairs 10',
      'npm run cluster -- --scale',
      'npm run cluster -- --apis 1,2,4 --pairs 3',
      'npm run cluster -- --only actions,disk',
    ],
  },
  {
    why: 'it needs a container engine',
    commands: [
      'docker compose --profile monitoring up --detach',
      'docker compose up --detach',
      'docker compose up --detach --build',
      'docker compose build',
      'docker compose run --rm migrate',
      'docker compose up --detach --no-deps worker',
      'docker compose up --detach --no-deps api',
      'docker compose stop api worker',
      "docker compose exec postgresql psql --username=postgres --command='create database gateway_restored owner gateway' --command='revoke all on database gateway_restored from public'",
      'docker compose run --rm --no-deps worker ls /backups',
      'docker compose run --rm --no-deps worker node src/main.ts restore <file>',
      'docker compose run --rm --no-deps worker node src/main.ts reseal',
      'docker build --build-arg REVISION=$(git rev-parse HEAD) --tag registry.example.com/webhook-gateway:0.2.0 .',
      'docker push registry.example.com/webhook-gateway:0.2.0',
    ],
  },
  {
    why: 'it needs a Kubernetes cluster',
    commands: [
      'kubectl create namespace hooks',
      `kubectl --namespace hooks create secret generic gateway \\
  --from-literal=DATABASE_URL='postgresql://gateway:…@postgresql.databases:5432/gateway?sslmode=verify-full' \\
  --from-literal=SECRETS_KEY="$(openssl rand -base64 32)" \\
  --from-literal=ADMIN_TOKEN="$(openssl rand -base64 24)"`,
      'helm install hooks deploy/helm/webhook-gateway --namespace hooks --values my-values.yaml',
    ],
  },
  {
    why: 'it restarts units of the machine',
    commands: [
      'for n in 1 2; do systemctl restart gateway-worker@$n; done',
      'for n in 1 2; do systemctl restart gateway-api@$n; curl --retry 30 --retry-all-errors --fail http://127.0.0.1:808$n/health/ready; done',
    ],
  },
  {
    why: 'it needs promtool, which is built from many Go modules',
    commands: [
      'promtool check config deploy/prometheus/prometheus.yml',
      'promtool test rules deploy/prometheus/rules.test.yml',
      'mkdir promtool && cd promtool && go mod init promtool',
      'go get -tool github.com/prometheus/prometheus/cmd/promtool@v0.314.0',
      'go build -o promtool github.com/prometheus/prometheus/cmd/promtool',
    ],
  },
  {
    why: 'it adds a worktree next to the checkout, and installs its packages',
    commands: ['git worktree add ../before main && (cd ../before && npm ci)'],
  },
];
