import type { CommandResult } from './command.ts'
import type { GitCall } from './git.ts'

export type WorkspaceFile = { text: string; bytes: number; truncated: boolean }
export type SearchHit = { path: string; line: number; text: string }
export type SearchRequest = {
  /** Searched for as plain text, never as a pattern. */
  query: string
  path: string
  /** Case-insensitive globs of files that are not searched. */
  except: readonly string[]
  most: number
  signal: AbortSignal
}

/**
 * The folder of one run. Paths are relative to `root`, or absolute inside it. Every verb resolves symlinks first. It
 * throws Problem `invalid` `path_outside` for a path that leads out of the folder, `path_missing` for a missing file, and
 * `path_unfit` for a file of the wrong kind (not a text file, or not a folder).
 */
export interface Workspace {
  /** Absolute and free of symlinks. */
  readonly root: string
  /** The home folder of commands: beside `root`, so that caches stay out of the diff. */
  readonly home: string
  /** The folder of temporary files, removed with the workspace. */
  readonly tmp: string
  /** The real path, relative to `root` with `/` between segments (`.` for the root); undefined when it is outside. */
  locate(path: string): Promise<string | undefined>
  /** Up to `most` names in a folder, sorted, and whether there are more; folders end in `/`, symlinks in `@`. */
  list(path: string, most: number): Promise<{ names: string[]; truncated: boolean }>
  read(path: string, mostBytes: number): Promise<WorkspaceFile>
  /** Writes the whole file and makes missing folders. */
  write(path: string, text: string): Promise<{ created: boolean }>
  search(request: SearchRequest): Promise<{ hits: SearchHit[]; truncated: boolean }>
  /** Runs a program for an agent. Rejects as `Commands` does. */
  run(file: string, args: readonly string[], signal: AbortSignal): Promise<CommandResult>
  /** Runs git, with arguments that an agent chose. */
  git(args: readonly string[], signal: AbortSignal): Promise<CommandResult>
  /**
   * Git on the files of the workspace, independent of all settings that the agent wrote except `.gitignore`: it has its
   * own new git directory and home, which programs of the agent cannot see. It reads only objects from the workspace's
   * git directory.
   */
  ownGit(objectFormat: 'sha1' | 'sha256', signal: AbortSignal): Promise<OwnGit>
}

/** The name of the workspace of one attempt of a task. */
export const workspaceName = (taskId: string, attempt: number): string => `${taskId}-${attempt}`
/** The task id in the name of a workspace; the name itself for a workspace of a conversation. */
export const taskOfWorkspace = (name: string): string => name.replace(/-\d+$/, '')

/** `to` is the target of a push, with its host and credentials. */
export type OwnGit = (
  args: readonly string[],
  maxBytes: number,
  to?: Pick<GitCall, 'host' | 'credential' | 'timeoutMs'>,
) => Promise<CommandResult>

export interface Workspaces {
  /** An empty workspace of that name (letters, digits, `-`, `_`); the contents of an earlier one are removed. */
  create(name: string): Promise<Workspace>
  /** The workspace of that name with its contents; made when it does not exist. Restarts its time to live. */
  open(name: string): Promise<Workspace>
  /** Removes the workspace of that name with its contents. A missing one is no error. */
  remove(name: string): Promise<void>
  /**
   * The contents below the root, as text: files, folders and links with their times. Credential files, the home and
   * temporary files are left out. Throws Problem `too_large` `workspace_too_large`, whose message names the limits.
   */
  pack(name: string, signal: AbortSignal): Promise<string>
  /** Replaces the contents below the root by packed ones; undefined stands for an empty folder. */
  unpack(name: string, packed: string | undefined, signal: AbortSignal): Promise<void>
  /** The latest value that `mark` set for the workspace of that name; programs cannot see or change it. */
  marked(name: string): Promise<string | undefined>
  mark(name: string, mark: string | undefined): Promise<void>
}
