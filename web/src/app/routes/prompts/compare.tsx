import { CompareScreen } from '@/features/prompts/components/compare-screen';

export default CompareScreen;
