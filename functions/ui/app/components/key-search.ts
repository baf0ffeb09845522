/** The search of Settings, Models for the key that an agent lacks: `ANTHROPIC_API_KEY` asks for that of anthropic. */
export const keySearch = ([variable = '']: readonly string[]): { provider?: string } => {
  const provider = /^([A-Z]+)_API_KEY$/.exec(variable)?.[1]?.toLowerCase()
  return provider === undefined ? {} : { provider }
}
