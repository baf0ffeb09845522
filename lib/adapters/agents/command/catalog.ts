import type { BrokeredKind } from '../../../core/brokered-kinds.ts'
import { definedFields } from '../../../core/defined-fields.ts'
import { codexProvider } from '../program/codex-provider.ts'
import {
  type AgentProgram,
  type BrokerAccess,
  PROGRAM_CAPABILITIES,
  PROGRAM_TIMEOUT_MS,
} from '../program/program.ts'
import { createClaudeParser } from './claude.ts'
import { createCodexParser } from './codex.ts'
import type { Parser, ParserNeeds } from './parser.ts'
import { createTextParser } from './text.ts'

/** What programs write, and how it is read. */
export const parsers = {
  text: createTextParser,
  claude: createClaudeParser,
  codex: createCodexParser,
} as const satisfies Readonly<Record<string, (needs: ParserNeeds) => Parser>>

/** A program that is given its task by an argument and works until it ends. */
export type CommandProgram = AgentProgram & { parse: keyof typeof parsers }

/** A program in the setting `COMMAND_AGENTS`. */
type GivenCommand = {
  type: string
  command: string
  args: readonly string[]
  parse: keyof typeof parsers
  name?: string | undefined
  env?: Readonly<Record<string, string>> | undefined
  reads?: readonly string[] | undefined
  provider?: BrokeredKind | 'none' | undefined
}

/** What the list of agents says of such a program. */
export const commandFacts = ({ type, name }: CommandProgram) =>
  ({
    type,
    name,
    description: `${name}, run once for each task`,
    capabilities: PROGRAM_CAPABILITIES,
    family: 'command',
    timeoutMs: PROGRAM_TIMEOUT_MS,
  }) as const

/** Codex takes its provider from its settings, and those from options before its command. */
const codexArgs = ({ origin, models }: BrokerAccess): string[] => {
  const fields = Object.entries(codexProvider(origin)).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}`,
  )
  const model = models.openai ? ['-c', `model=${JSON.stringify(models.openai)}`] : []
  return [...model, '-c', 'model_provider=broker', '-c', `model_providers.broker={${fields.join(',')}}`]
}

export const commandPrograms = (given: readonly GivenCommand[]): CommandProgram[] =>
  given.map(({ provider, ...program }) => ({
    name: program.type,
    type: program.type,
    command: program.command,
    args: program.args,
    parse: program.parse,
    ...definedFields(program),
    providers: provider && provider !== 'none' ? [provider] : [],
    ...(program.parse === 'codex' && provider === 'openai' && { brokerArgs: codexArgs }),
  }))
