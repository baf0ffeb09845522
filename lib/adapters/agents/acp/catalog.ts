import type { BrokeredKind } from '../../../core/brokered-kinds.ts'
import { definedFields } from '../../../core/defined-fields.ts'
import { codexProvider } from '../program/codex-provider.ts'
import {
  type AgentProgram,
  type BrokerAccess,
  PROGRAM_CAPABILITIES,
  PROGRAM_TIMEOUT_MS,
} from '../program/program.ts'

/** A program that speaks the Agent Client Protocol (https://agentclientprotocol.com), as a preset or an operator describes it. */
export type AcpProgram = AgentProgram & {
  /** The way to sign in that it is told to use: it takes the key from its environment. */
  authMethod?: string
  /** Its mode in which it asks before each step that changes something: modes in which it allows that itself are not used. */
  mode?: string
  /** The servers of tools (https://modelcontextprotocol.io) that it is given. */
  mcpServers?: readonly McpServerSetting[]
}

/** A server of tools: a program that the agent starts in its sandbox, or an address. */
export type McpServerSetting = { name: string } & (
  | {
      command: string
      args?: readonly string[] | undefined
      env?: Readonly<Record<string, string>> | undefined
    }
  | { url: string; headers?: Readonly<Record<string, string>> | undefined }
)

/** What the list of agents says of such a program. */
export const acpFacts = ({ type, name }: AcpProgram) =>
  ({
    type,
    name,
    description: `${name}, a program that speaks the Agent Client Protocol`,
    capabilities: PROGRAM_CAPABILITIES,
    family: 'acp',
    canResume: true,
    timeoutMs: PROGRAM_TIMEOUT_MS,
  }) as const

const codexConfig = ({ origin, models }: BrokerAccess) => ({
  ...(models.openai && { model: models.openai }),
  model_provider: 'broker',
  model_providers: { broker: codexProvider(origin) },
})

const OPENCODE_PATHS: Readonly<Record<BrokeredKind, string>> = {
  anthropic: '/anthropic/v1',
  openai: '/openai/v1',
  google: '/google/v1beta',
}

/** https://opencode.ai/docs/config. Its default model would else be one of its own service. */
const openCodeConfig = ({ origin, token: apiKey, kinds, models }: BrokerAccess) => ({
  ...kinds.flatMap((kind) => (models[kind] ? { model: `${kind}/${models[kind]}` } : [])).at(0),
  autoupdate: false,
  share: 'disabled',
  enabled_providers: kinds,
  permission: { edit: 'ask', bash: 'ask', webfetch: 'ask', external_directory: 'ask' },
  provider: Object.fromEntries(
    kinds.map((kind) => [kind, { options: { baseURL: origin + OPENCODE_PATHS[kind], apiKey } }]),
  ),
})

/** None of them is a dependency of the service: one that is found on PATH is offered by itself. */
const presets: readonly AcpProgram[] = [
  {
    type: 'claude-code',
    name: 'Claude Code',
    command: 'claude-agent-acp',
    args: [],
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    providers: ['anthropic'],
    mode: 'default',
    env: { DISABLE_TELEMETRY: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  },
  {
    type: 'codex',
    name: 'Codex',
    command: 'codex-acp',
    args: [],
    install: 'npm install -g @agentclientprotocol/codex-acp',
    providers: ['openai'],
    authMethod: 'api-key',
    mode: 'read-only',
    env: { NO_BROWSER: '1' },
    brokerEnv: (access) => ({ CODEX_CONFIG: JSON.stringify(codexConfig(access)) }),
  },
  {
    type: 'opencode',
    name: 'OpenCode',
    command: 'opencode',
    args: ['acp'],
    providers: ['anthropic', 'openai', 'google'],
    install: 'npm install -g opencode-ai',
    // Without a network its list of models and its downloads would be waited for.
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    brokerEnv: (access) => ({ OPENCODE_CONFIG_CONTENT: JSON.stringify(openCodeConfig(access)) }),
  },
]

/** A program in the setting `ACP_AGENTS`. */
type GivenProgram = {
  type: string
  command: string
  name?: string | undefined
  args?: readonly string[] | undefined
  env?: Readonly<Record<string, string>> | undefined
  reads?: readonly string[] | undefined
  provider?: BrokeredKind | 'none' | undefined
  mcpServers?: readonly McpServerSetting[] | undefined
}

/** What a program is by itself: a preset of its type, without the way to install another one. */
const programDefaults = (program: string): AcpProgram => {
  const { install: _, ...preset } = presets.find(({ type }) => type === program) ?? {
    type: program,
    name: program,
    command: program,
    args: [],
    providers: [],
  }
  return preset
}

/** The presets and the programs of an operator, which replace the preset of their type, as `others` do. */
export const acpPrograms = (
  given: readonly GivenProgram[],
  others: readonly { type: string }[],
): AcpProgram[] => [
  ...presets.filter((preset) => [...given, ...others].every(({ type }) => type !== preset.type)),
  ...given.map(({ provider, ...program }) => {
    const preset = programDefaults(program.type)
    return {
      ...preset,
      ...definedFields(program),
      ...((preset.env || program.env) && { env: { ...preset.env, ...program.env } }),
      ...(provider && { providers: provider === 'none' ? [] : [provider] }),
    }
  }),
]
