import type { Agent } from '../../../../lib/agents/schema.ts'
import { type Runner, useRunners } from '../data/runners.ts'
import { runnersText } from './runner-words.ts'

const sum = (runners: readonly Runner[], count: (runner: Runner) => number) =>
  runners.reduce((total, runner) => total + count(runner), 0)

/** `on 2 of 3 runners, 5 of 8 running`: those of its runners that take tasks, and their load; their names as its title. */
export const OnRunners = ({ agent: { type, runners: taking } }: { agent: Agent }) => {
  const { data } = useRunners()
  const all = data?.filter(
    ({ status, agents }) => status !== 'removed' && agents.some((one) => one.type === type),
  )
  const online = all?.filter(({ name }) => taking.includes(name)) ?? []
  return (
    <span title={taking.join(', ')}>
      {runnersText(taking.length, all?.length)}
      {online.length > 0 &&
        `, ${sum(online, ({ running }) => running.length)} of ${sum(online, ({ concurrency }) => concurrency)} running`}
    </span>
  )
}
