import { parseArgs } from 'node:util'
import type { RunnerSettings } from '../runners/schema.ts'
import type { Environment } from './credentials.ts'
import { UsageError } from './exit-codes.ts'
import type { Service } from './service.ts'
import { safeLine, type Terminal } from './terminal.ts'

type Option = {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly multiple?: boolean
  /** The placeholder of the value in the help. */
  readonly value?: string
  readonly about: string
}
export type Options = Readonly<Record<string, Option>>

type OptionValue<O extends Option> = O['type'] extends 'boolean'
  ? boolean
  : O['multiple'] extends true
    ? string[]
    : string
export type OptionValues<O extends Options> = { readonly [Name in keyof O]?: OptionValue<O[Name]> }

export type StartRunner = (settings: RunnerSettings) => Promise<number>

type Call<O extends Options = Options> = {
  readonly values: OptionValues<O & typeof everywhere>
  readonly words: readonly string[]
  readonly env: Environment
  readonly terminal: Terminal
  /** Connects at the first call: a wrong command line is refused without a connection. */
  readonly service: () => Service
  /** Runs tasks in this process until it is stopped. Resolves to the exit code. */
  readonly startRunner: StartRunner
}

export type Command = {
  readonly name: string
  /** The text after the name in the help. */
  readonly usage: string
  readonly about: string
  readonly details?: string
  readonly options: Options
  /** The number of words that the command takes beside its options. */
  readonly words: readonly [least: number, most: number]
  /** The help about these words; undefined for that of the command. */
  readonly help?: (call: Pick<Call, 'words'>) => Promise<string | undefined>
  /** Resolves to the exit code, 0 when it gives none. */
  readonly run: (call: Call) => Promise<number | undefined>
}

const everywhere = {
  json: { type: 'boolean', about: 'print the answer as one line of JSON' },
  help: { type: 'boolean', short: 'h', about: 'show this help' },
} as const satisfies Options

/** Checks the types of a command's options, and hides them from callers. */
export const defineCommand = <const O extends Options>(
  command: Omit<Command, 'options' | 'run'> & {
    options: O
    run: (call: Call<O>) => Promise<number | undefined>
  },
) => command as unknown as Command

const allOptions = (command: Command): Options => ({ ...command.options, ...everywhere })

/** Parses the words and options of a command line. Throws UsageError for those that the command does not take. */
export const parseCommandLine = (
  command: Command,
  args: readonly string[],
): Pick<Call, 'values' | 'words'> => {
  const { values, positionals } = parseOptions(command, args)
  const [least, most] = command.words
  const isAskedFor = (values as { help?: boolean }).help === true
  if (!isAskedFor && (positionals.length < least || positionals.length > most))
    throw new UsageError(
      `${positionals.length < least ? 'An argument is missing' : `Unexpected argument: ${safeLine(positionals.slice(most).join(' '))}`}. Usage: agent-tasks ${command.name} ${command.usage}`,
      command.name,
    )
  // The parsed options are those of the command.
  return { values: values as Call['values'], words: positionals }
}

const parseOptions = (command: Command, args: readonly string[]) => {
  const options = Object.fromEntries(
    Object.entries(allOptions(command)).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) },
    ]),
  )
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, allowNegative: true })
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0] ?? '', command.name)
  }
}

const optionLabel = ([name, { short, type, value = 'text' }]: [string, Option]) =>
  `${short ? `-${short}, ` : '    '}--${name}${type === 'string' ? ` <${value}>` : ''}`

export const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

/** Rows as a table. `paint` colours a cell that is padded already: colours would count as width. */
export const alignedRows = (
  rows: readonly (readonly string[])[],
  paint: (padded: string, column: number) => string = (padded) => padded,
): string => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, at) => paint(cell.padEnd(widths[at] ?? 0), at))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const commandHelp = (command: Command): string => {
  const rows = Object.entries(allOptions(command)).map(
    (option) => [optionLabel(option), option[1].about] as const,
  )
  const usage = `Usage: agent-tasks ${command.name} ${command.usage}`.trim()
  const details = command.details === undefined ? '' : `\n${command.details}\n`
  return `${usage}\n\n${command.about}\n${details}\nOptions:\n${columns(rows)}`
}
