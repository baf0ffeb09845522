/** What a prompt orders the demo model to do at one step. */
export type Order =
  | { do: 'tool'; name: string; arguments: string }
  | { do: 'say'; text: string }
  | { do: 'fail'; status: number }
  | { do: 'cut' }

/** The orders of a prompt, one per step, and what holds for all of its answers. */
type Directives = { orders: Order[]; slowMs: number; thought: string }

const LINE = /^\s*demo:\s*(\w+)\s*(.*)$/i

const orderOf = (word: string, rest: string): Order | undefined => {
  if (word === 'say') return { do: 'say', text: rest }
  if (word === 'cut') return { do: 'cut' }
  if (word === 'fail') return { do: 'fail', status: Number.parseInt(rest, 10) || 500 }
  if (word !== 'tool') return undefined
  const [name = '', ...json] = rest.split(' ')
  return { do: 'tool', name, arguments: json.join(' ').trim() || '{}' }
}

/** Reads the `demo:` lines of a prompt; lines it does not know are plain text. `server.ts` lists them all. */
export const readDirectives = (prompt: string): Directives => {
  const found: Directives = { orders: [], slowMs: 0, thought: '' }
  for (const line of prompt.split('\n')) {
    const [, word = '', rest = ''] = LINE.exec(line) ?? []
    const order = orderOf(word.toLowerCase(), rest.trim())
    if (order) found.orders.push(order)
    if (word === 'slow') found.slowMs = Math.min(Number.parseInt(rest, 10) || 0, 600_000)
    if (word === 'think') found.thought = rest.trim()
  }
  return found
}
