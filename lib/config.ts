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

const PROVIDER_KINDS = ['anthropic', 'openai', 'ollama', 'openrouter'] as const

const providerSettings = Object.fromEntries(
  PROVIDER_KINDS.flatMap((kind) => {
    const name = kind.toUpperCase()
    return [
      [`${name}_API_KEY`, text.optional()],
      [`${name}_BASE_URL`, url],
      [`${name}_MODEL`, text.optional()],
    ]
  }),
)

const Environment = z.object({
  PORT: int(0, 65_535, 3_000),
  HOST: text.default('127.0.0.1'),
  SERVICE_MODE: z.enum(['pico', 'mini']).default('mini'),
  DATA_DIR: text.default('./.data'),
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
  WORKSPACES_DIR: text.optional(),
  WORKSPACE_TTL_HOURS: int(1, 8_760, 24),
  DEFAULT_PROVIDER: z.enum(PROVIDER_KINDS).optional(),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  ...(providerSettings as Record<string, z.ZodOptional<z.ZodString>>),
})

/** Every setting, validated, under the name of its environment variable. */
export type Config = z.output<typeof Environment>

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
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    throw badSetting(
      parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '),
    )
  }
  const undecided = ['ACCESS_KEY'].filter((name) => given[name] !== undefined)
  if (undecided.length > 0) throw badSetting(`${undecided.join(', ')}: not supported by this version yet`)
  return withPaths(refuseOpenHost(parsed.data))
}

/** Local mode without a key trusts whoever reaches it, so it must not be reachable from elsewhere. */
const refuseOpenHost = (config: Config): Config => {
  if (!/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(config.HOST)) {
    throw badSetting(
      `HOST: without an access key the service listens on loopback only, not on ${config.HOST}`,
    )
  }
  return config
}

const withPaths = (config: Config): Config => {
  const DATA_DIR = path.resolve(config.DATA_DIR)
  return {
    ...config,
    DATA_DIR,
    WORKSPACES_DIR: path.resolve(config.WORKSPACES_DIR ?? path.join(DATA_DIR, 'workspaces')),
  }
}
