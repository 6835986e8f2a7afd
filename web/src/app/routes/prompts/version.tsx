import { VersionsScreen } from '@/features/prompts/components/versions-screen';

/** One version by its address: the history with that version open. */
export default VersionsScreen;
