import { VersionsScreen } from '@/features/prompts/components/versions-screen';

export default VersionsScreen;
