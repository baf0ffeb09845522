import type { Policy } from '../../data/security.ts'

export type ToolLists = Pick<Policy, 'allowedTools' | 'blockedTools' | 'requireApprovalFor'>
export type ToolName = Policy['blockedTools'][number]
export type ToolChoice = 'follow' | 'allow' | 'ask' | 'block'

/** The list of each choice, in the order in which the service reads them: the first that names a tool counts. */
const listFor = {
  block: 'blockedTools',
  ask: 'requireApprovalFor',
  allow: 'allowedTools',
} as const satisfies Partial<Record<ToolChoice, keyof ToolLists>>
const listed = Object.entries(listFor) as [keyof typeof listFor, keyof ToolLists][]

/** What the lists say of a tool. */
export const toolChoice = (lists: ToolLists, name: ToolName): ToolChoice =>
  listed.find(([, list]) => lists[list].includes(name))?.[0] ?? 'follow'

/** The lists after a choice: the tool is in one of them at most. */
export const withChoice = (lists: ToolLists, name: ToolName, choice: ToolChoice): ToolLists => {
  const own = choice === 'follow' ? undefined : listFor[choice]
  const list = (of: keyof ToolLists) => {
    const others = lists[of].filter((each) => each !== name)
    return of === own ? [...others, name] : others
  }
  return {
    allowedTools: list('allowedTools'),
    blockedTools: list('blockedTools'),
    requireApprovalFor: list('requireApprovalFor'),
  }
}
