import * as z from 'zod'
import type { Task } from '../../tasks/schema.ts'
import { defineTool } from '../tool.ts'

/** Reads a task as any user of the installation may; undefined where there is none of that id. */
export type FindTask = (id: string) => Promise<Task | undefined>

const MOST_CHARACTERS = 8_000

export const createGetTask = (find: FindTask) =>
  defineTool({
    name: 'get_task',
    description: 'Read how a task stands: its status, what it was asked, and its result or error.',
    input: z.object({ id: z.string().min(1).max(200) }),
    risk: 'read',
    subject: ({ id }) => id,
    async run({ id }) {
      const task = await find(id)
      if (task === undefined) return { content: `There is no task ${JSON.stringify(id)}.`, failed: true }
      return { content: shown(task) }
    },
  })

const shown = ({ id, title, status, prompt, result, error, createdAt, completedAt }: Task): string =>
  [
    `${id}: ${title}`,
    `status: ${status}, created ${createdAt}${completedAt === undefined ? '' : `, ended ${completedAt}`}`,
    ...(prompt === undefined ? [] : [`prompt: ${prompt.slice(0, MOST_CHARACTERS)}`]),
    ...(error === undefined ? [] : [`error: ${error.code}: ${error.message}`]),
    ...(result === undefined ? [] : [`result: ${result.output.slice(0, MOST_CHARACTERS)}`]),
  ].join('\n')
