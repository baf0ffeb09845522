import { askUser } from './builtin/ask-user.ts'
import { editFile, listFiles, readFile, searchFiles, writeFile } from './builtin/files.ts'
import { git } from './builtin/git.ts'
import { runCommand } from './builtin/run-command.ts'
import {
  createMemorySearch,
  createWebSearch,
  type RefuseSearch,
  type SearchMemory,
  type SearchWeb,
} from './builtin/search.ts'
import { type CreateTaskFor, createCreateTask, createGetTask, type FindTask } from './builtin/tasks.ts'
import { createWebFetch } from './builtin/web-fetch.ts'
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
  refuseSearch: RefuseSearch
  createTask: CreateTaskFor
  findTask: FindTask
}

/** The tools of a task's agent: those of its workspace, memory, and a question to a person. It cannot create tasks or reach the web. */
export const taskTools = (searchMemory: SearchMemory): readonly Tool[] => [
  ...workspaceTools,
  createMemorySearch(searchMemory),
  askUser,
]

/** The tools of conversations: all but the question, since an answer there may be one. */
export const conversationTools = (needs: ConversationNeeds): readonly Tool[] => [
  ...workspaceTools,
  createMemorySearch(needs.searchMemory),
  createWebFetch(needs),
  createWebSearch(needs.searchWeb, needs.refuseSearch),
  createCreateTask(needs.createTask),
  createGetTask(needs.findTask),
]
