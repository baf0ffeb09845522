import type { Agent } from '../../../../../lib/agents/schema.ts'
import { Facts } from '../../components/facts.tsx'

const families: Readonly<Record<Agent['family'], string>> = {
  builtin: 'Built in',
  acp: 'ACP program',
  command: 'Command',
  module: 'Module',
  runner: 'On runners',
}

/** What an agent is: its type, its family and the version of its program. */
export const Family = ({ agent: { type, family, version } }: { agent: Agent }) => (
  <span className="block text-xs text-muted-foreground">
    <Facts
      facts={[
        <code key="type" className="font-mono">
          {type}
        </code>,
        families[family],
        version && `version ${version}`,
      ]}
    />
  </span>
)
