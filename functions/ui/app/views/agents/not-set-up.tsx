import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Agent } from '../../../../../lib/agents/schema.ts'
import { conditions } from '../../components/agent-condition.ts'
import { Command } from '../../components/copy.tsx'
import { keySearch } from '../../components/key-search.ts'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { useMe } from '../../data/me.ts'
import { Family } from './family.tsx'

/** Agents that cannot work yet, each with what to do. A program that is installed is found without a restart. */
export const NotSetUp = ({ agents }: { agents: readonly Agent[] }) => (
  <Panel
    title="Not set up"
    aside={
      <Link
        to="/docs/$group/$page"
        params={{ group: 'guide', page: 'agent-programs' }}
        className="text-muted-foreground hover:text-foreground"
      >
        Guide
      </Link>
    }
  >
    <ul className="grid gap-px overflow-hidden rounded-b-lg bg-border xl:grid-cols-2">
      {agents.map((agent) => (
        <Row key={agent.type} agent={agent} />
      ))}
    </ul>
  </Panel>
)

const stateText = ({ install, missingSettings }: Agent) => {
  if (install) return 'Not installed'
  return missingSettings ? 'Needs a key' : conditions.unconfigured.label
}

const Row = ({ agent }: { agent: Agent }) => {
  const { name, install, missingSettings } = agent
  return (
    <li className="flex min-w-0 flex-col gap-2 bg-card p-3.5 xl:last:odd:col-span-2">
      <div className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <h3 className="truncate font-medium">{name}</h3>
          <Family agent={agent} />
        </div>
        <Tag tone={install ? 'plain' : 'warn'}>{stateText(agent)}</Tag>
      </div>
      {install && <Command text={install} />}
      {missingSettings && <MissingKey names={missingSettings} isLater={install !== undefined} />}
      {!install && !missingSettings && <Unknown agent={agent} />}
    </li>
  )
}

/** A key that is stored on the page works without a restart. */
const MissingKey = ({ names, isLater }: { names: readonly string[]; isLater: boolean }) => {
  const isAdmin = useMe()?.role === 'admin'
  return (
    <p className="text-muted-foreground">
      {isLater ? 'Then add a ' : 'Add a '}
      {isAdmin ? (
        <Link
          to="/settings/models"
          search={keySearch(names)}
          className="font-medium text-foreground underline underline-offset-2"
        >
          model key
        </Link>
      ) : (
        'model key (ask an admin)'
      )}
      , or set <Choice names={names} /> in the environment of the service.
    </p>
  )
}

/** `A`, `A or B`, `A, B or C` */
const Choice = ({ names }: { names: readonly string[] }): ReactNode =>
  names.map((name, at) => (
    <span key={name}>
      {at > 0 && (at === names.length - 1 ? ' or ' : ', ')}
      <code className="font-mono text-xs text-foreground">{name}</code>
    </span>
  ))

const Unknown = ({ agent: { family, health } }: { agent: Agent }) => (
  <div className="text-muted-foreground">
    {health.message && <p className="[overflow-wrap:anywhere]">{health.message}</p>}
    {(family === 'module' || family === 'builtin') && <p>{conditions.unconfigured.advice}</p>}
  </div>
)
