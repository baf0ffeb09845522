import { existsSync, readFileSync } from 'node:fs'
import type { JournalLine, Script } from '../fixtures/agents/scripted.ts'
import { agentWorld } from './agent-world.ts'
import type { Environment } from './service.ts'

/** Settings of a service whose agent is the scripted one, with data and journal in a folder of their own. */
export const scriptedWorld = (more: Environment = {}) => {
  const { folder, env: settings } = agentWorld('scripted')
  const file = folder.in('journal')
  const env: Environment = { ...settings, SCRIPTED_JOURNAL: file, ...more }
  /** Every run so far, whatever became of its service. */
  const journal = (): JournalLine[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : []
  return { env, journal, [Symbol.dispose]: folder[Symbol.dispose] }
}

/** The body of a create whose run goes as `script` says. */
export const scriptedTask = (title: string, script: Script = {}) => ({ title, metadata: script })
