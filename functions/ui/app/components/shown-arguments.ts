type Values = Readonly<Record<string, unknown>>

/** The schemas of all tools have fewer parameters. */
const MOST_ARGUMENTS = 50

const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The call of an agent that is a program: its own arguments, and what the service read of them to decide about the call.
 * Paths that the arguments do not have stay.
 */
const agentCall = ({ title, paths, command, input, ...rest }: Values): Values | undefined => {
  const isCall = title !== undefined && Array.isArray(paths) && Array.isArray(command)
  if (!isCall || !isRecord(input) || Object.keys(input).length === 0) return undefined
  const own = Object.values(input)
  const others = paths.filter((path) => !own.includes(path))
  return { ...rest, ...(others.length > 0 && { paths: others }), ...input }
}

/** The arguments of a call by their names, all of them. Those of any other shape are one value. */
export const shownArguments = (given: unknown): Values => {
  if (!isRecord(given) || Object.keys(given).length > MOST_ARGUMENTS) return { given }
  return agentCall(given) ?? given
}
