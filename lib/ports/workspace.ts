import type { CommandResult } from './command.ts'
import type { GitCall } from './git.ts'

export type WorkspaceFile = { text: string; bytes: number; truncated: boolean }
export type SearchHit = { path: string; line: number; text: string }
export type SearchRequest = {
  /** Looked for as it stands, never as a pattern. */
  query: string
  path: string
  /** Globs, case-insensitive, of files that are not looked into. */
  except: readonly string[]
  most: number
  signal: AbortSignal
}

/**
 * A folder of its own for one run. Paths are relative to `root`, or absolute inside it. Every verb resolves symlinks
 * first and throws Problem `invalid` `path_outside` for what leads out of the folder, `path_missing` for what is not
 * there, `path_unfit` for what is not a text file (or folder) as the verb needs it.
 */
export interface Workspace {
  /** Absolute and free of symlinks. */
  readonly root: string
  /** The home folder of commands: beside `root`, so that caches stay out of the diff. */
  readonly home: string
  /** The folder of temporary files, which last as long as the workspace. */
  readonly tmp: string
  /** Where a path really leads, relative to `root` with `/` between segments (`.` for the root); undefined when outside. */
  locate(path: string): Promise<string | undefined>
  /** At most so many names in a folder, sorted, and whether there are more; folders end in `/`, symlinks in `@`. */
  list(path: string, most: number): Promise<{ names: string[]; truncated: boolean }>
  read(path: string, mostBytes: number): Promise<WorkspaceFile>
  /** Writes the whole file, making folders on the way. */
  write(path: string, text: string): Promise<{ created: boolean }>
  search(request: SearchRequest): Promise<{ hits: SearchHit[]; truncated: boolean }>
  /** Runs a program for an agent. Rejects as `Commands` do. */
  run(file: string, args: readonly string[], signal: AbortSignal): Promise<CommandResult>
  /** Runs git, with arguments that an agent chose. */
  git(args: readonly string[], signal: AbortSignal): Promise<CommandResult>
  /**
   * Git on the files of the workspace that follows nothing which the agent wrote but `.gitignore`: it has a new git
   * directory and a home of its own, which no program of the agent is shown. Only objects are read from the workspace's.
   */
  ownGit(objectFormat: 'sha1' | 'sha256', signal: AbortSignal): Promise<OwnGit>
}

/** The name of the workspace that an attempt of a task has for itself. */
export const workspaceName = (taskId: string, attempt: number): string => `${taskId}-${attempt}`
/** The task that has a workspace of that name; those of conversations have their names. */
export const taskOfWorkspace = (name: string): string => name.replace(/-\d+$/, '')

/** `to` is where a push goes, with what it needs for that. */
export type OwnGit = (
  args: readonly string[],
  maxBytes: number,
  to?: Pick<GitCall, 'host' | 'credential' | 'timeoutMs'>,
) => Promise<CommandResult>

export interface Workspaces {
  /** An empty workspace of that name (letters, digits, `-`, `_`); what an earlier one left is removed. */
  create(name: string): Promise<Workspace>
  /** The workspace of that name with what is in it, made when it is not there. Starts its time to live again. */
  open(name: string): Promise<Workspace>
  /** Removes the workspace of that name and all that is in it; one that is not there is fine. */
  remove(name: string): Promise<void>
  /**
   * What is below the root, as text: files, folders and links with their times. Credential files, the home and temporary
   * files are left out. Throws Problem `too_large` `workspace_too_large`, in whose message the limits are.
   */
  pack(name: string, signal: AbortSignal): Promise<string>
  /** Puts what was packed in place of what is below the root; undefined stands for nothing. */
  unpack(name: string, packed: string | undefined, signal: AbortSignal): Promise<void>
  /** What `mark` said last of the workspace of that name; nothing else changes it, and no program is shown it. */
  marked(name: string): Promise<string | undefined>
  mark(name: string, mark: string | undefined): Promise<void>
}
