import * as path from 'node:path'
import * as z from 'zod'
import { LONGEST_APPROVAL_MS } from '../core/approval-expiry.ts'
import { securityModes } from '../core/security-mode.ts'
import { PROVIDER_KINDS } from './families.ts'
import {
  baseUrl,
  headerPairs,
  httpsUrl,
  int,
  ints,
  key32,
  label,
  list,
  noLimitOr,
  text,
  url,
  wordList,
} from './values.ts'

const DAY_MS = 86_400_000

/** Every variable with a fixed name; those with a kind of provider in their name are in `families.ts`. */
export const Environment = z.object({
  PORT: int(0, 65_535, 3_000),
  HOST: text.default('127.0.0.1'),
  PUBLIC_URL: baseUrl,
  TRUST_PROXY: int(0, 10, 0),
  ORIGIN_SECRET: text.optional(),
  SERVICE_MODE: z.enum(['pico', 'mini', 'pro']).default('mini'),
  DATA_DIR: text.default('./.data').transform((folder) => path.resolve(folder)),
  ACCEPT_DATA_LOSS: z.enum(['0', '1']).default('0'),
  AUTH_MODE: z.enum(['local', 'cloud', 'oidc']).default('local'),
  ACCESS_KEY: z.string().min(6, 'must have at least 6 characters').max(1_024).optional(),
  REGISTRATION_MODE: z.enum(['invite', 'open', 'closed']).default('invite'),
  OIDC_ISSUER: url,
  OIDC_CLIENT_ID: text.optional(),
  OIDC_CLIENT_SECRET: text.optional(),
  ENCRYPTION_KEY: key32.optional(),
  KMS_KEY_ID: text.optional(),
  GATEWAY_RATE_LIMIT_RPM: int(1, 1_000_000, 60),
  WEBHOOK_RETRY_DELAYS_MS: ints([30_000, 300_000, 1_800_000, 7_200_000, 43_200_000], 30 * DAY_MS),
  WEBHOOK_CANCEL_CLOSED: z
    .enum(['true', 'false'])
    .default('true')
    .transform((word) => word === 'true'),
  REPORT_COMMENTS: z
    .enum(['true', 'false'])
    .default('true')
    .transform((word) => word === 'true'),
  REPORT_PULL_REQUESTS: z
    .enum(['true', 'false'])
    .default('true')
    .transform((word) => word === 'true'),
  CODEHOST_GIT_URL: httpsUrl,
  OUTBOUND_ALLOW_HOSTS: list,
  AI_TASK_LABEL: label('ai-task'),
  AI_REVIEW_LABEL: label('ai-review'),
  QUEUE_NAME: text.default('ai-tasks'),
  QUEUE_NOTIFICATION_NAME: text.default('ai-task-notifications'),
  QUEUE_CONCURRENCY: int(1, 1_000, 10),
  QUEUE_NOTIFICATION_CONCURRENCY: int(1, 1_000, 5),
  QUEUE_RETRY_ATTEMPTS: int(1, 100, 3),
  QUEUE_RETRY_BACKOFF_MS: int(0, DAY_MS, 1_000),
  QUEUE_RETRY_TYPE: z.enum(['exponential', 'fixed']).default('exponential'),
  POOL_MAX_CONCURRENT: int(1, 10_000, 50),
  POOL_TIMEOUT_MS: int(1, DAY_MS, 300_000),
  AGENTIC_TIMEOUT_MS: int(1, DAY_MS, 180_000),
  AGENTIC_ORPHAN_MS: int(0, DAY_MS, 15_000),
  USER_MAX_TURNS: int(1, 1_000, 20),
  USER_MAX_STREAMS: int(1, 1_000, 20),
  TASK_SECURITY_MODE: z.enum(securityModes).default('full'),
  TASK_MAX_BUDGET: noLimitOr(1_000, Number.MAX_SAFE_INTEGER),
  APPROVAL_TTL_MS: noLimitOr(1, LONGEST_APPROVAL_MS),
  TASK_LEASE_MS: int(1_000, 3_600_000, 30_000),
  AGENT_ADAPTERS: list,
  AGENT_SANDBOX: z.enum(['auto', 'require', 'off']).default('auto'),
  AGENT_NETWORK: z.enum(['off', 'on']).default('off'),
  AGENT_MEMORY_MB: int(128, 1_048_576, 4_096),
  AGENT_PROCESSES: int(64, 100_000, 2_048),
  AGENT_DISK_MB: int(16, 16_777_216, 8_192),
  DEFAULT_AGENT: text.default('coding-agent'),
  WORKSPACES_DIR: text.transform((folder) => path.resolve(folder)).optional(),
  REPOSITORY_ROOTS: list,
  GIT_SSL_CAINFO: text.transform((file) => path.resolve(file)).optional(),
  WORKSPACE_TTL_HOURS: int(0, 8_760, 24),
  MEMORY_RECORD_EXPERIENCES: z
    .enum(['true', 'false'])
    .default('false')
    .transform((word) => word === 'true'),
  MEMORY_EXPAND: z.enum(['off', 'on']).default('off'),
  MEMORY_DIR: text.default('./memory').transform((folder) => path.resolve(folder)),
  EMBEDDING_MODEL: z
    .string()
    .trim()
    .regex(/^[a-z]+\/\S+$/, 'must be provider/model, as openai/text-embedding-3-small is')
    .optional(),
  AWS_REGION: text.default('us-east-1'),
  DYNAMODB_ENDPOINT: url,
  SQS_ENDPOINT: url,
  S3_ENDPOINT: url,
  KMS_ENDPOINT: url,
  TABLE_PREFIX: text.default('agent-tasks-'),
  TASK_QUEUE_URL: url,
  TASK_URGENT_QUEUE_URL: url,
  NOTIFICATION_QUEUE_URL: url,
  FILES_BUCKET: text.optional(),
  SECRETS_PATH: text.optional(),
  ACCOUNT_SECRETS_PATH: text.optional(),
  DEFAULT_PROVIDER: z.enum(PROVIDER_KINDS).optional(),
  FALLBACK_PROVIDERS: wordList(PROVIDER_KINDS),
  PATH: text.default('/usr/local/bin:/usr/bin:/bin'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: headerPairs,
  OTEL_SERVICE_NAME: text.max(200, 'may have 200 characters at most').default('agent-task-service'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
})
