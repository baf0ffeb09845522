import type { Agent } from '../../../../../lib/agents/schema.ts'
import { Facts } from '../../components/facts.tsx'
import { OnRunners } from '../../components/on-runners.tsx'

const families: Readonly<Record<Agent['family'], string>> = {
  builtin: 'Built in',
  acp: 'ACP program',
  command: 'Command',
  module: 'Module',
  runner: 'Runners only',
}

/** What an agent is: its type, its family, the version of its program, and the runners that have it. */
export const Family = ({ agent }: { agent: Agent }) => (
  <span className="block text-xs text-muted-foreground">
    <Facts
      facts={[
        <code key="type" className="font-mono">
          {agent.type}
        </code>,
        families[agent.family],
        agent.version && `version ${agent.version}`,
        agent.runners.length > 0 && <OnRunners key="runners" agent={agent} />,
      ]}
    />
  </span>
)
