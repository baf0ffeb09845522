import { CONTROLS } from './controls.ts'

/** What systems show of a message without an unfolding. */
const LONGEST = 120
const MOST_LINES = 3
const HIDDEN = new RegExp(CONTROLS, 'u')

type Call = { toolName: string; params: Readonly<Record<string, unknown>> }

const argumentText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/**
 * A call with all of its arguments, one a line. Undefined for one that is not read at a glance: it is longer, or has hidden
 * characters. Such a call may be allowed only where all of it is shown.
 */
export const wholeCall = ({ toolName, params }: Call): string | undefined => {
  const lines = Object.entries(params).map(([name, value]) => `${name}: ${argumentText(value)}`)
  const text = [toolName, ...lines].join('\n')
  const isRead =
    text.length <= LONGEST && text.split('\n').length <= MOST_LINES && !HIDDEN.test(text.replaceAll('\n', ''))
  return isRead ? text : undefined
}
