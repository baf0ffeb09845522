import { hostname } from 'node:os'
import { defineCommand } from '../command.ts'
import type { Environment } from '../credentials.ts'
import { UsageError } from '../exit-codes.ts'
import { serviceUrl } from '../service.ts'

const MOST_AT_ONCE = 1_000
/** The text of an API token, or what the setting RUNNER_TOKEN of the service has, which is no API token. */
const TOKEN = /^(?:svc_[0-9A-Z]{26}_[0-9a-f]{48}|(?!svc_)[\x21-\x7e]{32,1000})$/

export const runner = defineCommand({
  name: 'runner',
  usage: '--token <token> [options]',
  about: 'Run tasks of a service on this machine, with the agents installed here.',
  details: [
    'Agents, models and the sandbox are configured by the same environment variables as the service (docs/reference/settings.md).',
    'RUNNER_TOKEN, RUNNER_NAME, RUNNER_LABELS, RUNNER_CONCURRENCY, RUNNER_DIR and RUNNER_STATUS_PORT set the options. Other users',
    'of this machine can see a token on the command line, so prefer the variable.',
  ].join('\n'),
  options: {
    url: { type: 'string', about: 'the address of the service; AGENT_TASKS_URL by default' },
    token: {
      type: 'string',
      about: 'an API token with the scope runner, or the RUNNER_TOKEN of the service',
    },
    name: { type: 'string', about: 'the name of the runner; the name of this machine by default' },
    labels: { type: 'string', value: 'a,b', about: 'the labels that tasks can require' },
    concurrency: { type: 'string', value: 'number', about: 'how many tasks run at once, 2 by default' },
    dir: { type: 'string', about: 'the folder for workspaces and unsent results; ./.runner by default' },
    'status-port': { type: 'string', value: 'port', about: 'answer GET /healthz at this port of 127.0.0.1' },
    once: { type: 'boolean', about: 'run one task, then exit' },
  },
  words: [0, 0],
  run: async ({ values, env, startRunner }) => {
    const { once = false } = values
    return startRunner({
      url: serviceUrl(values.url === undefined ? env : { ...env, AGENT_TASKS_URL: values.url }),
      token: readToken(values.token ?? env.RUNNER_TOKEN),
      name: values.name ?? given(env, 'RUNNER_NAME') ?? hostname(),
      labels: readLabels(values.labels ?? env.RUNNER_LABELS ?? ''),
      concurrency: once ? 1 : readConcurrency(values.concurrency ?? given(env, 'RUNNER_CONCURRENCY') ?? '2'),
      once,
      folder: values.dir ?? given(env, 'RUNNER_DIR') ?? './.runner',
      statusPort: readPort(values['status-port'] ?? given(env, 'RUNNER_STATUS_PORT')),
    })
  },
})

const given = (env: Environment, name: string): string | undefined => env[name] || undefined

const readToken = (token = ''): string => {
  if (TOKEN.test(token.trim())) return token.trim()
  throw new UsageError(
    token === ''
      ? 'A runner needs a token. Set RUNNER_TOKEN to an API token with the scope runner, or to the RUNNER_TOKEN of the service'
      : 'This token is neither an API token (svc_…) nor a RUNNER_TOKEN of at least 32 characters. It may be incomplete',
    'runner',
  )
}

const readLabels = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  ),
]

const readConcurrency = (text: string): number => {
  const concurrency = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (concurrency >= 1 && concurrency <= MOST_AT_ONCE) return concurrency
  throw new UsageError(`--concurrency must be a number from 1 to ${MOST_AT_ONCE}`, 'runner')
}

const readPort = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 65_535) return port
  throw new UsageError('--status-port must be a port from 1 to 65535', 'runner')
}
