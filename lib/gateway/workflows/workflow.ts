/** What an agent is told about a kind of work before it reads the request itself. */
export type Workflow = {
  /** One sentence: what the work is for. */
  purpose: string
  /** What to do, in this order. */
  steps: readonly string[]
  /** What the final answer has to contain. */
  handIn: readonly string[]
  never: readonly string[]
}
