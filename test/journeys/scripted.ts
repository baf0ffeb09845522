import { existsSync, readFileSync } from 'node:fs'
import type { JournalLine, Script } from '../fixtures/agents/scripted.ts'
import { agentWorld } from './agent-world.ts'
import type { Environment } from './service.ts'

/** Settings of a service whose agent is the scripted one, with data and journal in a folder of their own. */
export const scriptedWorld = (more: Environment = {}) => {
  const { folder, env: settings } = agentWorld('scripted')
  const file = folder.in('journal')
  const env: Environment = { ...settings, SCRIPTED_JOURNAL: file, ...more }
  const lines: JournalLine[] = []
  let bytesRead = 0
  /** Every run so far, whatever became of its service. Reads what was added since the last call: kill tests ask often. */
  const journal = (): JournalLine[] => {
    if (!existsSync(file)) return []
    const added = readFileSync(file).subarray(bytesRead)
    const whole = added.subarray(0, added.lastIndexOf('\n') + 1)
    bytesRead += whole.length
    for (const line of whole.toString().split('\n')) if (line !== '') lines.push(JSON.parse(line))
    return [...lines]
  }
  return { env, journal, [Symbol.dispose]: folder[Symbol.dispose] }
}

/** The body of a create whose run goes as `script` says. */
export const scriptedTask = (title: string, script: Script = {}) => ({
  title,
  assignedAgent: 'scripted',
  metadata: script,
})
