import { copyText } from '../components/copy-text.ts'
import { withCommand } from '../components/platform.ts'
import { toast } from '../components/toast.tsx'

/** The link is shown where it cannot be copied. */
export const copyLink = async (link: string) => {
  if (await copyText(link, document.body)) toast.done('Link copied')
  else toast.failed('Not copied', `Select the link and press ${withCommand('C')}: ${link}`)
}
