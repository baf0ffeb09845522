import type { Client } from '../../lib/api/client.ts'
import type { ApiRoutes } from '../../lib/api/routes.ts'
import type { Task } from '../../lib/tasks/schema.ts'

/** Never run: `npm run types` is the test, and every line that must not compile says so. */
export const checkClientTypes = async (client: Client<ApiRoutes>) => {
  const { task } = await client.createTask({ body: { title: 'A task', priority: 1 } })
  const same: Task = task
  const { tasks } = await client.listTasks()
  const first: string | undefined = tasks[0]?.id
  await client.listTasks({ query: { limit: 10, fields: ['title', 'status'], full: true } })
  await client.listTasks({ query: { limit: '10', fields: 'title,status' } })
  const file: Response = await client.exportTasks.raw()
  const health: 'healthy' | 'degraded' | 'unhealthy' = (await client.detailedHealth()).status

  // @ts-expect-error a task needs a title
  await client.createTask({ body: {} })
  // @ts-expect-error and the body cannot be left out
  await client.createTask()
  // @ts-expect-error there is no priority 5
  await client.createTask({ body: { title: 'A task', priority: 5 } })
  // @ts-expect-error a path parameter is needed
  await client.getTask()
  // @ts-expect-error under its own name
  await client.getTask({ params: { taskId: 'task_1' } })
  // @ts-expect-error no such filter
  await client.listTasks({ query: { colour: 'red' } })
  // @ts-expect-error no such state
  await client.listTasks({ query: { status: 'lost' } })
  // @ts-expect-error no such route
  await client.deleteEverything()
  // @ts-expect-error the title of a task in a list may be missing
  const titles = tasks.map((listed): string => listed.title)

  return { same, first, file, health, titles }
}
