import * as path from 'node:path'
import * as z from 'zod'
import { Problem } from './core/errors.ts'

const text = z.string().trim().min(1)
const int = (least: number, most: number, fallback: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))
    .default(fallback)
const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional()

export const PROVIDER_KINDS = ['anthropic', 'openai', 'ollama', 'openrouter'] as const

type ProviderKind = (typeof PROVIDER_KINDS)[number]
/** `<KIND>_API_KEY`, `<KIND>_BASE_URL` and `<KIND>_MODEL` of one kind of provider. */
type ProviderSettings = { apiKey?: string; baseUrl?: string; model?: string }

/** Whether anything was said of a provider. */
export const isConfigured = (settings: ProviderSettings): boolean =>
  Object.values(settings).some((value) => value !== undefined)

const Provider = z.object({ apiKey: text.optional(), baseUrl: url, model: text.optional() })

const Environment = z.object({
  PORT: int(0, 65_535, 3_000),
  HOST: text.default('127.0.0.1'),
  SERVICE_MODE: z.enum(['pico', 'mini', 'pro']).default('mini'),
  DATA_DIR: text.default('./.data').transform((folder) => path.resolve(folder)),
  AUTH_MODE: z.enum(['local']).default('local'),
  QUEUE_NAME: text.default('ai-tasks'),
  QUEUE_NOTIFICATION_NAME: text.default('ai-task-notifications'),
  QUEUE_CONCURRENCY: int(1, 1_000, 10),
  QUEUE_NOTIFICATION_CONCURRENCY: int(1, 1_000, 5),
  QUEUE_RETRY_ATTEMPTS: int(1, 100, 3),
  QUEUE_RETRY_BACKOFF_MS: int(0, 86_400_000, 1_000),
  QUEUE_RETRY_TYPE: z.enum(['exponential', 'fixed']).default('exponential'),
  POOL_MAX_CONCURRENT: int(1, 10_000, 50),
  POOL_TIMEOUT_MS: int(1, 86_400_000, 300_000),
  TASK_LEASE_MS: int(1_000, 3_600_000, 30_000),
  AGENT_ADAPTERS: list,
  DEFAULT_AGENT: text.default('coding-agent'),
  WORKSPACES_DIR: text.transform((folder) => path.resolve(folder)).optional(),
  WORKSPACE_TTL_HOURS: int(1, 8_760, 24),
  AWS_REGION: text.default('us-east-1'),
  DYNAMODB_ENDPOINT: url,
  SQS_ENDPOINT: url,
  S3_ENDPOINT: url,
  TABLE_PREFIX: text.default('agent-tasks-'),
  TASK_QUEUE_URL: url,
  TASK_URGENT_QUEUE_URL: url,
  NOTIFICATION_QUEUE_URL: url,
  FILES_BUCKET: text.optional(),
  SECRETS_PATH: text.optional(),
  DEFAULT_PROVIDER: z.enum(PROVIDER_KINDS).optional(),
  PATH: text.default('/usr/local/bin:/usr/bin:/bin'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
})

/** Every setting, validated, under the name of its environment variable; those of the providers by kind. */
export type Config = z.output<typeof Environment> & {
  providers: Readonly<Record<ProviderKind, ProviderSettings>>
}

/** A setting that the service cannot start with; the message names each variable at fault. */
export const badSetting = (message: string) => new Problem('invalid', 'bad_setting', message)

/**
 * Reads the environment once. An empty variable counts as unset.
 * Throws Problem `bad_setting` naming every variable that is wrong and what it may be.
 */
export const readConfig = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Config => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const wrong: string[] = []
  const read = <T extends z.ZodType>(schema: T, values: unknown, nameOf = (field: string) => field) => {
    const parsed = schema.safeParse(values)
    for (const issue of parsed.error?.issues ?? [])
      wrong.push(`${nameOf(issue.path.join('.'))}: ${issue.message}`)
    return parsed.data
  }
  const settings = read(Environment, given)
  const providers = Object.fromEntries(
    PROVIDER_KINDS.map((kind) => [
      kind,
      read(Provider, providerValues(given, kind), (field) => variable(kind, field)),
    ]),
  )
  wrong.push(
    ...undecided.filter((name) => given[name] !== undefined).map((name) => `${name}: not supported yet`),
  )
  if (settings === undefined || wrong.length > 0) throw badSetting(wrong.join('; '))
  refuseOpenHost(settings.HOST)
  return { ...settings, providers: providers as Config['providers'] }
}

/** As `readConfig`, with variables that are kept elsewhere than in the environment. */
export const readConfigWith = (more: Readonly<Record<string, string>>): Config =>
  readConfig({ ...process.env, ...more })

/** Settings of the contract that this version does not have; taken silently they would promise what is not there. */
const undecided = ['ACCESS_KEY']

/** `apiKey` of openai → `OPENAI_API_KEY`. */
const variable = (kind: string, field: string) =>
  `${kind}_${field.replace(/[A-Z]/g, (letter) => `_${letter}`)}`.toUpperCase()

const providerValues = (given: Readonly<Record<string, string | undefined>>, kind: string) =>
  Object.fromEntries(Object.keys(Provider.shape).map((field) => [field, given[variable(kind, field)]]))

/** The name of every variable that is read. */
export const settingNames: readonly string[] = [
  ...Object.keys(Environment.shape),
  ...PROVIDER_KINDS.flatMap((kind) => Object.keys(Provider.shape).map((field) => variable(kind, field))),
]

/** Local mode without a key trusts whoever reaches it, so it must not be reachable from elsewhere. */
const refuseOpenHost = (host: string) => {
  if (!/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host)) {
    throw badSetting(`HOST: without an access key the service listens on loopback only, not on ${host}`)
  }
}
