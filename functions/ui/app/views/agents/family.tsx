import type { Agent } from '../../../../../lib/agents/schema.ts'
import { Facts } from '../../components/facts.tsx'

const families: Readonly<Record<Agent['family'], string>> = {
  builtin: 'Built in',
  acp: 'ACP program',
  command: 'Command',
  module: 'Module',
  runner: 'Runners only',
}

const MOST_NAMES = 3

/** `on build-1, build-2 and 4 more` */
const onRunners = (names: readonly string[]): string | undefined => {
  const more = names.length - MOST_NAMES
  if (names.length === 0) return undefined
  return `on ${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** What an agent is: its type, its family, the version of its program, and the runners that have it. */
export const Family = ({ agent: { type, family, version, runners } }: { agent: Agent }) => (
  <span className="block text-xs text-muted-foreground">
    <Facts
      facts={[
        <code key="type" className="font-mono">
          {type}
        </code>,
        families[family],
        version && `version ${version}`,
        onRunners(runners),
      ]}
    />
  </span>
)
