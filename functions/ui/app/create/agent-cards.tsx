import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Agent } from '../../../../lib/agents/schema.ts'
import { Command } from '../components/copy.tsx'
import { keySearch } from '../components/key-search.ts'
import { OnRunners } from '../components/on-runners.tsx'
import { providerName } from '../components/provider-name.ts'
import { Skeleton } from '../components/skeleton.tsx'
import { Tag, type Tone } from '../components/tag.tsx'
import { canRun, isOnDemo, useAgents } from '../data/agents.ts'
import { useModelProviders } from '../data/chat.ts'
import { useMe } from '../data/me.ts'
import { closeOverlay } from '../shell/overlay.ts'

type Props = { chosen: string; error: string | undefined }

/** `Codex` can be used, `Claude Code` needs a key, `Gemini` has to be installed: each card says what to do. */
export const AgentCards = ({ chosen, error }: Props) => {
  const { data: agents, error: failure } = useAgents()
  // Sent as it was until the agents are known.
  const kept = <input type="hidden" name="assignedAgent" value={chosen} />
  if (failure && !agents) return kept
  return (
    <fieldset className="flex min-w-0 flex-col gap-2" aria-busy={!agents}>
      <legend className="pb-1.5 font-medium">Agent</legend>
      {agents ? (
        <Cards agents={agents} chosen={chosen} />
      ) : (
        <>
          {kept}
          <div className={grid}>
            <Skeleton className="h-16 rounded-lg" />
            <Skeleton className="h-16 rounded-lg" />
          </div>
        </>
      )}
      {error && <p className="text-destructive">{error}</p>}
    </fieldset>
  )
}

const grid = 'grid grid-cols-1 gap-2 sm:grid-cols-2'

const isUnhealthy = ({ inService, healthy }: Agent) => inService && !healthy
const isUsable = (agent: Agent) => (canRun(agent) || agent.configured) && !isUnhealthy(agent)

/** Ready, then those that lack a key alone, then those that are unhealthy, then those to install. */
const rank = (agent: Agent) => {
  if (isUsable(agent)) return 0
  if (isUnhealthy(agent)) return 2
  return agent.install === undefined ? 1 : 3
}

const Cards = ({ agents, chosen }: { agents: readonly Agent[]; chosen: string }) => {
  const sorted = agents.toSorted((a, b) => rank(a) - rank(b) || Number(b.isDefault) - Number(a.isDefault))
  const [first] = sorted
  // An unhealthy default is not chosen for the user.
  const preset = first && isUsable(first) ? first : sorted.find(({ isDefault }) => isDefault)
  const isChosen = (agent: Agent) => (chosen === '' ? agent === preset : agent.type === chosen)
  const near = sorted.filter((agent) => rank(agent) < 3 || isChosen(agent))
  const far = sorted.filter((agent) => !near.includes(agent))
  // A draft may name an agent that is gone.
  const isUnknown = chosen !== '' && !agents.some(({ type }) => type === chosen)
  return (
    <>
      <div className={grid}>
        {near.map((agent) => (
          <AgentCard
            key={agent.type}
            agent={agent}
            isChosen={isChosen(agent)}
            isNamed={agent.type === chosen}
          />
        ))}
        {isUnknown && (
          <Choice type={chosen} name={chosen} isChosen isDisabled={false}>
            <span className="text-muted-foreground">Unknown agent</span>
          </Choice>
        )}
      </div>
      {far.length > 0 && (
        <details className="text-muted-foreground">
          <summary className="flex items-center gap-1.5 hover:text-foreground">
            <ChevronRight size={14} className="shrink-0 [details[open]>summary>&]:rotate-90" />
            <span>Install another agent: {far.map(({ name }) => name).join(', ')}</span>
          </summary>
          <ul className="flex flex-col gap-3 pt-2">
            {far.map((agent) => (
              <li key={agent.type} className="flex min-w-0 flex-col gap-1">
                <span className="font-medium text-foreground">{agent.name}</span>
                {agent.install && <Command text={agent.install} />}
                {agent.missingSettings && <NeedsKey names={agent.missingSettings} isLater />}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

type CardProps = {
  agent: Agent
  isChosen: boolean
  /** By its type, which stays. */
  isNamed: boolean
}

const AgentCard = ({ agent, isChosen, isNamed }: CardProps) => {
  const [label, tone] = stateLabel(agent)
  return (
    <Choice
      type={agent.isDefault && !isNamed ? '' : agent.type}
      name={agent.name}
      isChosen={isChosen}
      isDisabled={!isUsable(agent) && !isChosen}
      aside={<Tag tone={tone}>{label}</Tag>}
    >
      <AgentDetail agent={agent} />
    </Choice>
  )
}

const stateLabel = (agent: Agent): readonly [string, Tone] => {
  if (isUnhealthy(agent)) return ['Unhealthy', 'bad']
  if (canRun(agent)) return isOnDemo(agent) ? ['Demo', 'plain'] : ['Ready', 'good']
  if (agent.install !== undefined) return ['Not installed', 'plain']
  if (agent.missingSettings !== undefined) return ['Needs a key', 'warn']
  return agent.configured ? ['No runner', 'warn'] : ['Not set up', 'warn']
}

const AgentDetail = ({ agent }: { agent: Agent }): ReactNode => {
  const { install, missingSettings, inService, runners, family } = agent
  if (isUnhealthy(agent)) return <HowToMend agent={agent} />
  if (!isUsable(agent))
    return (
      <>
        {install && <Command text={install} />}
        {missingSettings && <NeedsKey names={missingSettings} isLater={install !== undefined} />}
        {!install && !missingSettings && agent.health.message}
      </>
    )
  if (!inService && runners.length > 0) return <OnRunners agent={agent} />
  if (family === 'builtin') return <BuiltInModel agent={agent} />
  return agent.version ? `Version ${agent.version}` : agent.type
}

const link = 'relative z-10 font-medium text-foreground underline underline-offset-2'

/** A link away from the form: its draft is kept. */
const KeyLink = ({ names, children }: { names?: readonly string[]; children: ReactNode }) => (
  <Link to="/settings/models" search={keySearch(names ?? [])} onClick={closeOverlay} className={link}>
    {children}
  </Link>
)

const NeedsKey = ({ names, isLater = false }: { names: readonly string[]; isLater?: boolean }) => {
  const isAdmin = useMe()?.role === 'admin'
  if (!isAdmin) return `${isLater ? 'Then an' : 'An'} admin adds a model key.`
  return (
    <span>
      {isLater && 'Then '}
      <KeyLink names={names}>{isLater ? 'add its key' : 'Add its key'}</KeyLink>
    </span>
  )
}

const HowToMend = ({ agent: { health } }: { agent: Agent }) => (
  <span>
    {health.message && `${health.message.replaceAll('`', '')}. `}
    <Link to="/agents" onClick={closeOverlay} className={link}>
      Fix it under Agents
    </Link>
  </span>
)

const BuiltInModel = ({ agent }: { agent: Agent }) => {
  const { data } = useModelProviders()
  const isAdmin = useMe()?.role === 'admin'
  if (isOnDemo(agent) || data?.default === 'demo')
    return <span>Demo model, not an AI. {isAdmin && <KeyLink>Add a model key</KeyLink>}</span>
  return data === undefined ? 'Built in' : `Built in, uses ${providerName(data.default)}`
}

type ChoiceProps = {
  type: string
  name: string
  isChosen: boolean
  isDisabled: boolean
  aside?: ReactNode
  children: ReactNode
}

const Choice = ({ type, name, isChosen, isDisabled, aside, children }: ChoiceProps) => (
  <div className="relative flex min-w-0 flex-col gap-0.5 rounded-lg border bg-card px-3 py-2 has-checked:border-foreground has-checked:bg-accent/40 has-focus-visible:outline-2 has-focus-visible:outline-ring has-enabled:hover:bg-accent/50">
    <label className="flex min-w-0 items-center gap-2 after:absolute after:inset-0">
      <input
        type="radio"
        name="assignedAgent"
        value={type}
        defaultChecked={isChosen}
        disabled={isDisabled}
        className="size-3.5 shrink-0 outline-none"
      />
      <span className={`min-w-0 flex-1 truncate font-medium ${isDisabled ? 'text-muted-foreground' : ''}`}>
        {name}
      </span>
      {aside}
    </label>
    <div className="min-w-0 pl-5.5 text-xs text-muted-foreground [&_button]:relative [&_button]:z-10">
      {children}
    </div>
  </div>
)
