import { type CreateTaskFor, createCreateTask } from './builtin/create-task.ts'
import { editFile } from './builtin/edit-file.ts'
import { createGetTask, type FindTask } from './builtin/get-task.ts'
import { git } from './builtin/git.ts'
import { listFiles } from './builtin/list-files.ts'
import { createMemorySearch, type SearchMemory } from './builtin/memory-search.ts'
import { readFile } from './builtin/read-file.ts'
import { runCommand } from './builtin/run-command.ts'
import { searchFiles } from './builtin/search-files.ts'
import { createWebFetch } from './builtin/web-fetch.ts'
import { createWebSearch, type SearchWeb } from './builtin/web-search.ts'
import { writeFile } from './builtin/write-file.ts'
import type { Tool } from './tool.ts'

/** The tools that work inside a workspace. */
export const workspaceTools: readonly Tool[] = [
  listFiles,
  readFile,
  writeFile,
  editFile,
  searchFiles,
  runCommand,
  git,
]

type ConversationNeeds = Parameters<typeof createWebFetch>[0] & {
  searchMemory: SearchMemory
  searchWeb: SearchWeb
  createTask: CreateTaskFor
  findTask: FindTask
}

/** What the agent of a task has: the tools of its workspace, and memory. It makes no further tasks and asks no stranger. */
export const taskTools = (searchMemory: SearchMemory): readonly Tool[] => [
  ...workspaceTools,
  createMemorySearch(searchMemory),
]

/** What conversations have: every tool. */
export const conversationTools = (needs: ConversationNeeds): readonly Tool[] => [
  ...taskTools(needs.searchMemory),
  createWebFetch(needs),
  createWebSearch(needs.searchWeb),
  createCreateTask(needs.createTask),
  createGetTask(needs.findTask),
]
