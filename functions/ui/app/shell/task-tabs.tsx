import { TabLinks } from '../components/tab-links.tsx'
import { taskViews } from './nav.ts'

const tabs = [{ to: '/tasks', label: 'All tasks' }, ...taskViews] as const

/** In the heads of the views of Tasks. */
export const TaskTabs = () => <TabLinks label="Views of tasks" tabs={tabs} isInHead />
