import { ApiError, connect } from 'agent-task-client'

// A task from its creation to its result: node examples/first-task.ts "Write a note"
const client = connect({ baseUrl: process.env.AGENT_TASKS_URL ?? 'http://127.0.0.1:3000' })

const ENDS: readonly string[] = ['completed', 'failed', 'cancelled']

const ended = async (id: string) => {
  for (;;) {
    const { task } = await client.getTask({ params: { id } })
    if (ENDS.includes(task.status)) return task
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

try {
  const prompt = process.argv[2] ?? 'Write a note about this workspace'
  const { task } = await client.createTask({ body: { title: [...prompt].slice(0, 100).join(''), prompt } })
  const { status, result, error } = await ended(task.id)
  console.log(`${status}: ${result?.output ?? error?.message ?? ''}`)
} catch (error) {
  if (!(error instanceof ApiError)) throw error
  console.error(`Refused (${error.code}): ${error.message}`)
  process.exitCode = 1
}
