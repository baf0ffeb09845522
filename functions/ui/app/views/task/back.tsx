import { Link, useCanGoBack, useRouter } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { MouseEvent } from 'react'
import { buttonClass } from '../../components/button.tsx'

/** On phones, where no menu is beside the page: to where the task was opened from, or to the list. */
export const Back = () => {
  const canGoBack = useCanGoBack()
  const { history } = useRouter()
  const goBack = (event: MouseEvent) => {
    if (!canGoBack) return
    event.preventDefault()
    history.back()
  }
  return (
    <Link
      to="/tasks"
      onClick={goBack}
      aria-label="Back"
      className={`-my-1 -ml-2.5 md:hidden ${buttonClass({ kind: 'ghost', size: 'icon' })}`}
    >
      <ArrowLeft size={18} />
    </Link>
  )
}
