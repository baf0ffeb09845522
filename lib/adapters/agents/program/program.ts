import type { BrokeredKind } from '../../../core/brokered-kinds.ts'
import type { Workspace } from '../../../ports/workspace.ts'
import type { Bridged, Commands, Program } from '../../node/command.ts'
import type { FoundProgram } from '../programs.ts'

/** What a program is told of a broker: its address, the token of the run, the configured providers, and the models that are set for them. */
export type BrokerAccess = {
  origin: string
  token: string
  kinds: readonly BrokeredKind[]
  models: Readonly<Partial<Record<BrokeredKind, string>>>
}

/** A third-party program that is an agent, as a preset or an operator describes it. */
export type AgentProgram = {
  type: string
  name: string
  /** Its file, or its name in a folder of PATH. */
  command: string
  args: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Absolute paths that it reads beside the system's and its own package. */
  reads?: readonly string[]
  /** What an operator runs to have the program. */
  install?: string
  /** The providers of which it works with a key, by the broker; one of them must be configured, if any is named. */
  providers: readonly BrokeredKind[]
  /** How it finds models at a broker, where the variables that most programs read do not tell it. */
  brokerEnv?: (access: BrokerAccess) => Readonly<Record<string, string>>
  /** Arguments before its own that tell it so. */
  brokerArgs?: (access: BrokerAccess) => readonly string[]
}

/** An agent that is a program may work for an hour, unless the task says otherwise. */
export const PROGRAM_TIMEOUT_MS = 3_600_000
export const PROGRAM_CAPABILITIES = ['code', 'git', 'terminal', 'file-ops'] as const

export type Start = {
  found: FoundProgram
  workspace: Workspace
  signal: AbortSignal
  env?: Readonly<Record<string, string>>
  bridged?: readonly Bridged[]
  /** Arguments before those of the program. */
  args?: readonly string[]
}

/** Starts the program in a workspace. */
export const startProgram = (
  program: Pick<AgentProgram, 'args' | 'reads' | 'env'>,
  commands: Pick<Commands, 'open'>,
  { found, workspace: { root, home, tmp }, args = [], env, ...start }: Start,
): Program =>
  commands.open({
    file: found.file,
    by: 'agent',
    cwd: root,
    home,
    tmp,
    writes: [root, home, tmp],
    ...start,
    args: [...args, ...program.args],
    reads: [...found.reads, ...(program.reads ?? [])],
    env: { ...env, ...program.env },
  })
