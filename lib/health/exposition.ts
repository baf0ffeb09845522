/** One metric with its samples. Names follow Prometheus's rules; a summary brings `_sum` and `_count` along. */
export type Family = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'summary'
  samples: readonly Sample[]
}
export type Sample = { suffix?: '_sum' | '_count'; labels?: Labels; value: number }
type Labels = Readonly<Record<string, string>>

/** Prometheus text exposition format 0.0.4. */
export const expose = (families: readonly Family[]): string => families.map(exposeFamily).join('')

const exposeFamily = ({ name, help, type, samples }: Family) =>
  [
    `# HELP ${name} ${escapeHelp(help)}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelled(labels)} ${value}`),
    '',
  ].join('\n')

const labelled = (labels: Labels) => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"')
