import { editFile } from './builtin/edit-file.ts'
import { git } from './builtin/git.ts'
import { listFiles } from './builtin/list-files.ts'
import { createMemorySearch, type SearchMemory } from './builtin/memory-search.ts'
import { readFile } from './builtin/read-file.ts'
import { runCommand } from './builtin/run-command.ts'
import { searchFiles } from './builtin/search-files.ts'
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

/** What an agent has: the tools of its workspace, and memory. */
export const agentTools = (searchMemory: SearchMemory): readonly Tool[] => [
  ...workspaceTools,
  createMemorySearch(searchMemory),
]
