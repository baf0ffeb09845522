// Workspaces of an attempt and of a conversation; `work` is the folder of their files.
const ROOT =
  /(?<=^|[\s'"`=:,;()[\]{}])\/(?:[^\s'"`:,;()[\]{}]+\/)?(?:task_[0-9A-Za-z]+-\d+|conv_[0-9A-Za-z]+)\/work(?:\/|(?![\w.-]))/g

/** `Read /srv/workspaces/task_01J…-1/work/src/cart.ts` → `Read src/cart.ts`. Other folders of that machine stay. */
export const withoutWorkspace = (text: string): string =>
  text.replace(ROOT, (root) => (root.endsWith('/') ? '' : '.'))
