import type { Models, StepPart, StepRequest } from '../../lib/ports/model.ts'

export type Finish = Extract<StepPart, { type: 'finish' }>

/** A request of one prompt, changed where a test cares. */
export const ask = (prompt: string, more: Partial<StepRequest> = {}): StepRequest => ({
  messages: [{ role: 'user', content: prompt }],
  signal: new AbortController().signal,
  ...more,
})

/** The parts of a whole step. */
export const parts = async (models: Models, request: StepRequest): Promise<StepPart[]> => {
  const all: StepPart[] = []
  for await (const part of models.step(request)) all.push(part)
  return all
}

/** The text of a step and its last part. */
export const answer = async (models: Models, request: StepRequest) => {
  const all = await parts(models, request)
  const finish = all.at(-1)
  if (finish?.type !== 'finish') throw new Error('The step ended without finish')
  return { text: joined(all, 'text'), reasoning: joined(all, 'reasoning'), finish, parts: all }
}

const joined = (all: readonly StepPart[], type: 'text' | 'reasoning'): string =>
  all.flatMap((part) => (part.type === type ? [part.text] : [])).join('')

/** What a step throws, and the parts it handed on before. */
export const failure = async (models: Models, request: StepRequest) => {
  const before: StepPart[] = []
  try {
    for await (const part of models.step(request)) before.push(part)
  } catch (thrown) {
    return { thrown: thrown as Error & Record<string, unknown>, before }
  }
  throw new Error(`The step did not fail: ${JSON.stringify(before)}`)
}

export const tool = (name: string) => ({ name, description: `Does ${name}`, inputSchema: { type: 'object' } })
